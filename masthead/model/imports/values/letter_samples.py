"""Names and places with the letters of each language, to compare the readings of a file with."""

# Most have letters outside ASCII; these decide
SAMPLES = {
    "de": "Müller Schäfer Krüger König Jäger Günther Jürgen Jörg Björn Käthe Bärbel Götz "
    "Weiß Groß Strauß Preuß Straße Große Müßig Schröder Köhler Böhm Lüdtke Würzburg "
    "München Köln Nürnberg Düsseldorf Münster Lübeck Tübingen Göttingen Osnabrück "
    "Saarbrücken Überlingen Ärzte Öffnung Österreich Übung Zürich Bülent Süd Schlüter "
    "Vögele Hänsel Mößner Geißler Faßbender Gießen Körner Hübner Grün Schön Böse Löwe "
    "Möller Mühle Brühl Straßburg Thüringen Württemberg Nähe",
    "fr": "François Françoise Lefèvre Hélène Noël Léa Chloé Zoé André Andrée René Renée "
    "Gérard Frédéric Benoît Jérôme Agnès Thérèse Geneviève Mélanie Maël Anaïs Loïc "
    "Joël Raphaël Citroën Zoë Éric Étienne Éléonore Élise Émile Orléans Besançon Nîmes "
    "Béziers Chambéry Saint-Étienne Angoulême Bâle Château Hôtel Côte Forêt Rhône "
    "Isère Lozère Ardèche Hérault Pyrénées Alpes-de-Haute Évreux Périgueux Lefébvre "
    "Barthélemy Desprès Père Mère Frère Cédric Sébastien Rémi Aurélie Valérie Stéphane "
    "Céline Amélie Désirée Cœur Sœur Œuvre Bœuf Ça Leçon Garçon Crème Légère L’Hôte",
    "es": "Peña Muñoz Núñez Ibáñez Yáñez Begoña Íñigo España García Martínez Fernández "
    "Rodríguez González López Pérez Sánchez Ramírez Gómez Díaz Jiménez Álvarez "
    "Hernández Gutiérrez María José Jesús Ángel Andrés Inés Mónica Sofía Lucía Raúl "
    "Óscar Víctor Ramón Iñaki Niño Cataluña Coruña Málaga Córdoba Cádiz Almería Jaén "
    "León Ávila Cáceres Logroño Castellón México Bogotá Avenida Señor Año Cañas "
    "Castaño Cabaña Compañía Núria Gràcia Martí Güell",
    "pt": "São João Simões Guimarães Magalhães Conceição Gonçalves Araújo Antônio António "
    "Luís Camões Lourenço Inês Mário Sérgio Mónica Júlia Flávia Márcia André Tomé "
    "Falcão Leão Assunção Brandão Évora Bragança Setúbal Santarém Maranhão Paraná "
    "Goiás Brasília Açores Praça Funchal Estação Irmãos Corações Uniões Conceição "
    "Galvão Bulhões",
    "it": "Niccolò Nicolò Forlì Cantù Città Società Dalmazià Però Perché Mondovì Nardò Mercè "
    "Libertà Già",
    "sv": "Åke Ågren Åsa Öberg Östlund Björk Sjöberg Lindström Nyström Söderberg Bergström "
    "Hägg Håkansson Hållander Göteborg Malmö Västerås Örebro Linköping Jönköping Umeå "
    "Växjö Gävle Luleå Åström Ängelholm Mårten Gränna Märta Pär Jämtland",
    "fi": "Mäkinen Hämäläinen Väisänen Virtanen Jyväskylä Päivi Hyvönen Kärkkäinen Seinäjoki "
    "Äänekoski Pöyry Säteri Mäkelä Mikkilä Töölö Yrjö Väinö Räsänen Särkkä Järvinen",
    "da": "Søren Jørgen Kjær Bjørn Møller Sørensen Jørgensen Kærgård Østergaard Ærø "
    "Ærøskøbing Århus Ålborg Ødegård Åse Bødker Næstved Sæby Brønshøj Rødovre "
    "København Tromsø Bodø Ålesund Hønefoss Grønland Nørre Værløse Tønder Håkon Bård "
    "Solvår Gråsten Sønderborg Kløver Skjær Pål",
    "is": "Þórður Guðrún Þóra Sigurðsson Guðmundur Jón Þorsteinn Kópavogur Reykjavík "
    "Hafnarfjörður Ísafjörður Akureyri Björk Æsa Sigríður Davíð Óðinn Friðrik "
    "Seyðisfjörður Þingvellir Garðabær Ýmir",
    "nl": "Zoë Daniël Michaël Joël Loïs Renée Coördinatie België Geërfd Reünie Noëlle "
    "Raphaël Andreeë",
    "ga": "Seán Siobhán Súilleabháin Ó Máire Pádraig Éamon Róisín Sinéad Órla Ciarán Gráinne "
    "Bríd Ní",
    "et": "Tõnu Võsu Õnne Pärnu Jõgeva Põlva Rõuge Mõisa Kõiv Sõber Tõnis Lõhmus "
    "Šveits Põhja Lõuna Põld Õun Tšehhi Žanna Süüria",
    "pl": "Łukasz Wiśniewski Paweł Michał Małgorzata Żaneta Grażyna Wójcik Kamiński "
    "Zieliński Szymański Woźniak Dąbrowski Kozłowski Pawłowski Król Wróbel Wróblewski "
    "Jabłoński Stępień Górski Wałęsa Dębica Zając Kołodziej Błaszczyk Sławomir "
    "Mirosław Stanisław Władysław Zdzisław Łódź Kraków Gdańsk Poznań Toruń Częstochowa "
    "Białystok Rzeszów Wrocław Święty Śląsk Żywiec Ząbki Bąk Mróz Gałązka Różycki "
    "Żółta Marszałkowska Księżyc Łęczyca Ćwikła Źródło Jędrzej Bożena Agnieszka "
    "Ościęcim Bartłomiej Józef Sosnowiec Piła Słupsk Świdnica Gołębiewski",
    "cs": "Jiří Dvořák Novák Černý Procházka Kučera Veselý Růžička Horák Němec Pokorný Marek "
    "Pospíšil Hájek Král Jelínek Beneš Fiala Sedláček Doležal Zeman Kolář Čermák Vaněk "
    "Kříž Tomáš Lukáš Matěj Ondřej Vojtěch Zdeněk Miloš František Václav Růžena Božena "
    "Žaneta Dlouhá Dlouhý Plzeň Třebíč Český Krumlov Žďár nad Sázavou Hradec Králové "
    "Ústí Děčín Říčany Kroměříž Přerov Jihlava Věra Tříd Náměstí Štěpán Šárka Ďáblice "
    "Ťápal Žižka Hřebíček",
    "sk": "Ľubomír Kráľ Ľudmila Čaňa Žilina Košice Trenčín Prešov Banská Štiavnica Ján Jozef "
    "Mária Zuzana Tóth Kováč Hudák Šťastný Ďurica Ondrej Ľuboš Miklós Kysucké Nižný "
    "Vyšný Dušan Ružomberok Čierna",
    "hu": "Külső Belső Első Felső Alsó Fő Erdő Mező Tető Szűts Gyűrű Ibolyaűr Idős Ősz Rezső Győző "
    "Erdős Gábor Győr Kovács Szűcs Nagykőrös László Gergő Szőke Hegedűs Ernő Jenő "
    "Szőllősi Fűzfő Dezső Kőszeg István János József Zoltán Tamás Attila Csaba Ágnes "
    "Éva Mária Jókai Mór Tóth Szabó Horváth Molnár Németh Balogh Takács Juhász "
    "Mészáros Fekete Debrecen Pécs Székesfehérvár Hódmező Őrbottyán Űrhajós Erzsébet "
    "Gyöngyös Budaörs Bőr Gyűjtő Vörösmarty Petőfi Sándor Hősök Dűlő Lőrinc",
    "hr": "Đorđe Šimić Nikolić Jovanović Petrović Marković Đorđević Kovačević Babić Jurić "
    "Matić Božić Knežević Blažević Perić Tomić Grgić Čović Žagar Šarić Rukavina Anđela "
    "Đurđica Đuro Kovač Žižek Črnomelj Škofja Šoštanj Čačak Niš Požega Šibenik Đakovo "
    "Gradišće Krčma Mihajlović Živković",
    "ro": "Ştefan Ţurcanu Ionuţ Mădălina Gheorghiţă Bogdan Căpăţînă Timişoara Iaşi Constanţa "
    "Braşov Piteşti Brăila Galaţi Târgu Mureş Călăraşi Bălan Păun Rădulescu Ştefănescu "
    "Câmpina Suceavă Bacău Văcărescu",
    "tr": "İsmail İzmir İlker İnci İpek İnan Bağcı Dağ Şener Şentürk Yiğit Değirmenci Doğru "
    "İbrahim Şahin Bağdat İstanbul Yıldız Yılmaz Çelik Aydın Özdemir Doğan Kılıç Çetin "
    "Koç Özkan Şimşek Işık Güneş Ayşe Öztürk Çağlar Gökhan Erdoğan Gül Süleyman Şükrü "
    "Uğur Tuğba Ağaoğlu Kaşıkçı Diyarbakır Eskişehir Muğla Şanlıurfa Izmir Balıkesir "
    "Ağrı Kırşehir Aydoğdu Hacıoğlu Müftüoğlu Kadıköy Beşiktaş Üsküdar Sarıyer Ömer "
    "Ümit Çiğdem Bülent Işıl Altın Fırat Sağlam Kıymet",
    "ru": "Иван Петров Москва Ленина Александр Сергей Наталья Ольга Екатерина Юлия Дмитрий "
    "Андрей Анна Ева Смирнов Кузнецов Попов Васильев Соколов Михайлов Новиков Федоров "
    "Морозов Волков Алексеев Улица Проспект Санкт Петербург Новосибирск Казань Самара "
    "Шевченко Щербаков Чехов Цветаева Хабаровск Жуков Зайцев Эльвира Яковлев Подъезд "
    "Объект Ёлкин Площадь Большая Ирина Мария",
    "uk": "Олександр Київ Сергій Андрій Наталія Юлія Львів Харків Одеса Дніпро Запоріжжя "
    "Ковальчук Бондаренко Шевчук Вулиця Ірина Їжак Євген Єлизавета Ґонта Тетяна "
    "Миколаїв Чернівці Володимир",
    "bg": "Георги Димитров Иванов София Пловдив Варна Бургас Стоян Христо Йорданка Тодор "
    "Първанов Ангелов Гълъбов",
    "sr": "Ђорђе Николић Јовановић Петровић Београд Нови Сад Милош Љубица Његош Џајић Ћирић "
    "Живковић Љиљана",
    "el": "Γιάννης Παπαδόπουλος Παπάς Αθήνα Ελένη Μαρία Γιώργος Κώστας Δημήτρης Νίκος "
    "Βασίλης Αικατερίνη Ερμού Θεσσαλονίκη Πάτρα Ηράκλειο Λάρισα Βόλος Ιωάννινα Οδός "
    "Πλατεία Σταυρούλα Χρήστος Ευάγγελος Ψαράς Ξένια Κωνσταντίνος Αλέξανδρος Σοφία "
    "Άννα Έλλη Ήρα Όλγα Ύδρα Ώρα Μιχάλης Φώτης Ζωή Ρόδος Λεωφόρος Ύψηλάντου",
    "lt": "Žukauskas Kęstutis Šarūnas Ąžuolas Vytautas Petrauskienė Kazlauskienė Jonė Rūta "
    "Eglė Živilė Jūratė Česlovas Šiauliai Panevėžys Klaipėda Kėdainiai Radviliškis "
    "Ukmergė Utena Gatvė Žaliakalnis Ąžuolyno Vilniaus Laisvės Šv Čiurlionio Žemaičių "
    "Didžioji Paupių Aušros Tėvas Mūšos Įmonė Ūkininkas Grįžkime Vaičiūnas Stankevičius "
    "Gediminė Birutė Ramunė Danutė Aldonė Rasą Alytų Trakų Šilutė Telšių Plungė Kretingą "
    "Mažeikių Biržų Rokiškis Anykščių Gegužės Šilų Pušų Beržų Liepų Draugystės Taikos Prūsų",
    "lv": "Jānis Bērziņš Kalniņš Ozoliņš Liepiņš Krūmiņš Zariņš Pēteris Kārlis Mārtiņš "
    "Līga Inga Ilze Zanda Žanis Ķirsis Ģertrūde Ņikita Rīga Jūrmala Liepāja Ventspils "
    "Rēzekne Valmiera Jēkabpils Ogre Cēsis Tukums Brīvības Čaka Stabu Ģertrūdes "
    "Šķūņu Pļavnieki Mežciems Āgenskalns Iļģuciems Bauska Lāčplēša Elizabetes Ūdens",
    "he": "ישראל רחובות נהריה אילת דימונה טבריה צפת מודיעין לוד רמלה קריית גת אופקים "
    "משה כהן לוי מזרחי פרץ ביטון דוד אברהם יצחק יעקב שרה רבקה רחל לאה מרים חנה יוסף "
    "תל אביב ירושלים חיפה באר שבע נתניה ראשון לציון פתח תקווה אשדוד חולון רמת גן הרצליה "
    "הרצל ויצמן רוטשילד בן יהודה אלנבי דיזנגוף סוקולוב רחוב שדרות כפר סבא רעננה נצרת עכו "
    "שמעון אליהו דניאל מיכאל גבריאל יונתן נועם איתן טל שירה נועה מאיה צבי זאב עמית",
    "ar": "محمد أحمد علي حسن حسين عبد الله عبدالرحمن خالد يوسف إبراهيم فاطمة عائشة مريم زينب "
    "سعيد صالح ناصر عمر عثمان مصطفى القاهرة بيروت دمشق بغداد الرياض جدة دبي عمّان تونس الجزائر "
    "المغرب الرباط الدار البيضاء الإسكندرية شارع الملك فيصل الجمهورية النصر الحرية طريق حي مدينة "
    "سليمان جمال كمال طارق هشام وليد سمير نبيل رشيد ليلى سارة هدى نور الشريف الخطيب العلي",
}
